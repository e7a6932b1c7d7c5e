import type { AdminCatalog, Clock, EffectiveSettings, EngineInfo, Health, Logger, StepsPort } from '@treadle/api';
import type { SessionCookie } from '../access/session-cookie.js';
import type { Sessions } from '../access/sessions.js';
import type { AuditLog } from '../audit/audit-log.js';
import type { ConsoleConfig } from '../console.config.js';
import type { Jobs } from '../jobs/jobs.js';
import type { Selections } from '../jobs/selections.js';
import type { RunHistory } from '../run/run-history.js';
import type { Boot } from './boot.js';

/** What sessions of browsers are made with. */
export interface AccessParts {
  readonly sessions: Sessions;
  readonly cookie: SessionCookie;
  /** Where a browser finds the page, without a slash at its end; undefined: it is not served. */
  readonly url: string | undefined;
}

/** What the routes speak about. */
export interface Surroundings {
  readonly catalog: AdminCatalog;
  readonly engine: EngineInfo;
  readonly health: Health;
  /** Absent in an engine without Steps. */
  readonly steps: StepsPort | undefined;
  readonly settings: EffectiveSettings;
  readonly clock: Clock;
  readonly log: Logger;
  readonly access: AccessParts;
  readonly audit: AuditLog;
  readonly boot: Boot;
  /** What was run through the console. */
  readonly history: RunHistory;
  readonly selections: Selections;
  readonly jobs: Jobs;
  /** Which views of plugins the page shows. */
  readonly shownViews: ConsoleConfig['plugin_views'];
}
