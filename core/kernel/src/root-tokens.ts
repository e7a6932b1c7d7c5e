import { AdminCatalog, EngineInfo, EngineLog, Health, StepHub, type Token } from '@treadle/api';

/** What the engine itself gives to every module. */
const ROOT_TOKENS: readonly Token<unknown>[] = [StepHub, EngineInfo, Health, EngineLog, AdminCatalog];

const IDS: ReadonlySet<string> = new Set(ROOT_TOKENS.map((token) => token.id));

/** True for a token that no module may provide. */
export function isRootToken(token: Token<unknown>): boolean {
  return IDS.has(token.id);
}
