import type { OutputOf, Schema } from './schema.js';

/**
 * The variables that `*.env.ts` declares, as `ctx.env` has them. `treadle generate types` writes it; by hand:
 * `declare module 'treadle' { interface Env extends EnvOf<typeof import('./app.env.js')> {} }`.
 */
export interface Env {}

/** The environment variables that an application needs. */
export interface Environment<S extends Schema = Schema> {
  /** Of an object with a member for each variable. */
  readonly schema: S;
}

/** Type of the variables that an environment declares; of the environment itself, or of the module that exports it. */
export type EnvOf<E> = E extends { readonly default: infer Exported } ? EnvOf<Exported>
  : E extends { readonly schema: infer S } ? OutputOf<S> : {};

/**
 * Declares the environment variables that an application needs: `export default env(z.object({ DATABASE_URL: z.url() }))` in a `*.env.ts`.
 * They are checked when the application starts.
 */
export function env<const S extends Schema>(schema: S): Environment<S> {
  return { schema };
}
