import { type ConfigSchema, type Ctor, moduleSpecOf } from '@treadle/api';
import { HttpModule } from '@treadle/module-http';
import { OtelModule } from '@treadle/module-observability';
import { QueueModule } from '@treadle/module-queue';
import { StreamModule } from '@treadle/module-stream';
import { HTTP, OTEL, QUEUE, STREAM } from './application.js';

/** A setting that is changed under load. */
export interface ReloadedSetting {
  /** As `http.port`. */
  readonly setting: string;
  readonly module: string;
  readonly key: string;
  readonly schema: ConfigSchema;
}

const MODULES: Readonly<Record<string, readonly [string, Ctor<unknown>]>> = {
  http: [HTTP, HttpModule], observability: [OTEL, OtelModule], queue: [QUEUE, QueueModule], stream: [STREAM, StreamModule],
};

/** Every setting of the four modules but their adapters. */
export function reloadedSettings(): readonly ReloadedSetting[] {
  return Object.entries(MODULES).flatMap(([short, [module, target]]) => {
    const properties: Readonly<Record<string, ConfigSchema>> = moduleSpecOf(target)?.config.properties ?? {};
    return Object.entries(properties).filter(([, schema]) => schema['x-slot'] === undefined)
      .map(([key, schema]) => ({ setting: `${short}.${key}`, module, key, schema }));
  });
}
