/** Variables with the engine's own secrets: a Step has no business with them. @source product specification, section 10 */
export const ENGINE_SECRETS: readonly string[] = ['ENGINE_TOKEN', 'ADMIN_TOKEN'];

/** An environment as Steps may see it. */
export function withoutEngineSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !ENGINE_SECRETS.includes(name)));
}
