import type { StreamClient, StreamClients } from 'treadle';
import type { Ticket } from './ticket.js';

const STATUSES = ['open', 'triaged', 'closed'] as const;

/** Shows a ticket in the column of its status and in no other. Doing it twice is fine. */
export async function showOnBoard(streams: StreamClients, { id, title, priority, status }: Ticket): Promise<void> {
  const board = boardOf(streams);
  await board.set(status, id, { id, title, priority });
  await hide(board, id, STATUSES.filter((column) => column !== status));
}

/** Takes a ticket off the board. */
export async function hideFromBoard(streams: StreamClients, id: string): Promise<void> {
  await hide(boardOf(streams), id, STATUSES);
}

async function hide(board: StreamClient, id: string, columns: readonly string[]): Promise<void> {
  await Promise.all(columns.map((column) => board.delete(column, id)));
}

const boardOf = (streams: StreamClients): StreamClient => streams['board'] as StreamClient;
