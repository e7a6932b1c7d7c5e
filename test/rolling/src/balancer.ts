/** What stands before the engines. */
export interface Balancer {
  readonly url: string;
  /** Resolves when it sends requests to all engines. */
  allUp(): Promise<void>;
  stop(): Promise<void>;
}
