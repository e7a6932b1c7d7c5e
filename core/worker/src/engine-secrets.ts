/** Variables with the engine's own secrets: a Step has no business with them. */
export const ENGINE_SECRETS: readonly string[] = ['ENGINE_TOKEN', 'ADMIN_TOKEN'];

const VALUES = Symbol.for('treadle.engine-secret-values');

/** An environment as Steps may see it: without those variables, and without others that hold the same, for YAML may take a token from any of them. */
export function withoutEngineSecrets(env: Readonly<NodeJS.ProcessEnv>): NodeJS.ProcessEnv {
  const values = (globalThis as { [VALUES]?: ReadonlySet<string | undefined> })[VALUES];
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => !ENGINE_SECRETS.includes(name) && values?.has(value) !== true));
}
