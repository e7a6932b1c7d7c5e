/**
 * What `ctx.call` reaches, by name: operations that modules of plugins serve. A plugin's types, or you, declare them:
 * `declare module 'treadle' { interface Operations { 'mqtt.publish': { args: { topic: string; payload: string }; result: void } } }`.
 */
export interface Operations {}

/** Name of a declared operation. */
export type OperationName = keyof Operations & string;

/** What an operation takes: one object of JSON values. */
export type OperationArgs<N extends OperationName> = Operations[N] extends { readonly args: infer Args } ? Args : Readonly<Record<string, never>>;

/** What an operation resolves to. */
export type OperationResult<N extends OperationName> = Operations[N] extends { readonly result: infer Result } ? Result : unknown;

/**
 * Calls an operation of a plugin. Arguments without which it does nothing may be left out where all of them are optional.
 * @throws OperationError `OPERATION_UNAVAILABLE` when no module serves the name, `InvalidValue` for arguments that it does not take,
 * `OPERATION_FAILED` when it failed, or a code of the plugin's own
 */
export type CallOperation =
  <N extends OperationName>(name: N, ...args: Record<never, never> extends OperationArgs<N> ? [args?: OperationArgs<N>] : [args: OperationArgs<N>]) =>
    Promise<OperationResult<N>>;
