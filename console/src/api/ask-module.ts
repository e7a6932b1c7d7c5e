import { type AdminCatalog, type AdminRoute, AdminStream, parseClassId } from '@treadle/api';
import type { TelemetryUse } from '../contract/index.js';

/** A question to another module, as its clients ask it. */
export interface ModuleQuestion {
  /** e.g. `queue` */
  readonly block: string;
  readonly method?: AdminRoute['method'];
  /** As the module added it, with its `:params`. */
  readonly path: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The route of the one module of a block; undefined when that is not loaded or has no such route. */
export function blockRoute(catalog: AdminCatalog, block: string, method: AdminRoute['method'], path: string): AdminRoute | undefined {
  return catalog.routes().find((route) => {
    const parsed = route.method === method && route.path === path ? parseClassId(route.classId) : undefined;
    return parsed?.kind === 'module' && parsed.block === block;
  });
}

/** Asks a module; undefined when it is not loaded or has no such route. @throws what the route does */
export async function askModule<T>(catalog: AdminCatalog, question: ModuleQuestion): Promise<T | undefined> {
  const answer = await answerOf(catalog, question);
  return (answer instanceof AdminStream ? JSON.parse(textOf(answer)) : answer) as T | undefined;
}

/** The same as the JSON that a client would get. */
export async function moduleText(catalog: AdminCatalog, question: ModuleQuestion): Promise<string | undefined> {
  const answer = await answerOf(catalog, question);
  return answer instanceof AdminStream ? textOf(answer) : JSON.stringify(answer);
}

async function answerOf(catalog: AdminCatalog, { block, method = 'GET', path, params = {}, query = {}, body }: ModuleQuestion): Promise<unknown> {
  return blockRoute(catalog, block, method, path)?.handle({ params, query, body });
}

function textOf({ pieces }: AdminStream): string {
  return Buffer.concat([...pieces].map((piece) => Buffer.from(piece))).toString();
}

/** What limits what is recorded, by kind; see `TelemetryUse`. */
export async function recordingNotes(catalog: AdminCatalog): Promise<TelemetryUse['notes']> {
  return (await askModule<TelemetryUse>(catalog, { block: 'observability', path: '/telemetry' }))?.notes ?? {};
}
