import type { CommitOutcome, DeliveryCommit, QueueAdapter } from '@treadle/api';
import { EndWriter, type EndWriterParts } from './end-writer.js';

/** What the writer works with. */
export interface CommitWriterParts extends EndWriterParts {
  readonly adapter: Required<Pick<QueueAdapter, 'commitMany'>>;
  /** Most messages that wait in one subscription. */
  readonly maxWaiting: () => number;
}

/** A commit and who waits for it. */
export interface PendingCommit {
  readonly commit: DeliveryCommit;
  readonly answered: (outcome: CommitOutcome) => void;
}

/** Writes the ends of atomic deliveries together with what their handlers did. */
export class CommitWriter extends EndWriter<PendingCommit, CommitOutcome> {
  constructor(private readonly parts: CommitWriterParts) {
    super(parts, 'commits of atomic Steps');
  }

  protected override write(pending: readonly PendingCommit[]): Promise<readonly CommitOutcome[]> {
    return this.parts.adapter.commitMany(pending.map(({ commit }) => commit), { maxWaiting: this.parts.maxWaiting() });
  }

  protected override answered(pending: readonly PendingCommit[], outcomes: readonly CommitOutcome[]): void {
    pending.forEach((one, index) => one.answered(outcomes[index] as CommitOutcome));
  }
}
