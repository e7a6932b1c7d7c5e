import { bind, type Binding, definePlugin, type Lifecycle, Module, type Plugin, Telemetry } from '@treadle/api';
import type { RecordingTelemetry } from '@treadle/testing';

/** Class of the module that `recordingPlugin` brings. */
export const RECORDER = 'testing::observability::Recorder';

/** A plugin whose module gives the engine this telemetry. */
export function recordingPlugin(telemetry: RecordingTelemetry): Plugin {
  @Module({
    id: RECORDER, summary: 'Keeps what is reported', stability: 'alpha', since: '0.1.0', config: { type: 'object', additionalProperties: false, properties: {} },
    provides: [Telemetry],
  })
  class Recorder implements Lifecycle {
    ports(): Binding[] {
      return [bind(Telemetry, telemetry)];
    }
  }
  return definePlugin({ name: 'recorder', version: '0.1.0', api: '^0.1.0', modules: [Recorder] });
}
