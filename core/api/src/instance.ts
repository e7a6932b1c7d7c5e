import type { ClassId } from './class-id.js';
import type { SourceLocation } from './source-location.js';

/** Which entry of the configuration an object was built for. */
export interface InstanceId {
  /** `ClassId`, or `ClassId#name` when the entry has a name. */
  readonly id: string;
  readonly classId: ClassId;
  readonly name?: string;
  /** Position in the file, e.g. `modules[2]` or `modules[2].config.adapter`. */
  readonly path: string;
  readonly package: string;
  readonly version: string;
  readonly at?: SourceLocation;
}

/** What a running module or adapter may say of itself; lifecycle states are set by the supervisor. */
export type RuntimeStatus = 'starting' | 'ok' | 'degraded' | 'failed';
