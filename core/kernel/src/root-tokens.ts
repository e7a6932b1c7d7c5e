import { AdminCatalog, EffectiveSettings, EngineInfo, EngineLog, Health, type Token } from '@treadle/api';
import { DISPATCH_TOKENS } from '@treadle/dispatch';

/** What the engine itself gives to every module. */
const ROOT_TOKENS: readonly Token<unknown>[] = [...DISPATCH_TOKENS, EngineInfo, Health, EngineLog, AdminCatalog, EffectiveSettings];

const IDS: ReadonlySet<string> = new Set(ROOT_TOKENS.map((token) => token.id));

/** True for a token that no module may provide. */
export function isRootToken(token: Token<unknown>): boolean {
  return IDS.has(token.id);
}
