import type { AdminCatalog, Clock, EngineInfo, Health, Logger, StepsPort } from '@treadle/api';

/** What the routes speak about. */
export interface Surroundings {
  readonly catalog: AdminCatalog;
  readonly engine: EngineInfo;
  readonly health: Health;
  /** Absent in an engine without Steps. */
  readonly steps: StepsPort | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}
