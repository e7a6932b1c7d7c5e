import type { PlainJson } from './common.js';

/** `GET /config`: what the engine goes by, value by value. Secrets are "[redacted]". */
export interface ConfigAnswer {
  /** Absolute path; absent with the default configuration. */
  readonly file?: string;
  readonly items: readonly ConfigEntry[];
}

export interface ConfigEntry {
  /** Class of the module or adapter; absent for the engine's own settings. */
  readonly module?: string;
  /** In the configuration, e.g. `modules[2].config.port`; of a module that the file does not name it begins with the class. */
  readonly path: string;
  readonly value: PlainJson;
  readonly secret: boolean;
  readonly origin: ConfigOrigin;
}

/** Where a value comes from: the schema, a line of the file or of a shipped preset, a variable, an option such as `--port`, or what the command stands for. */
export interface ConfigOrigin {
  readonly kind: 'default' | 'file' | 'preset' | 'environment' | 'flag' | 'command';
  readonly line?: number;
  /** Of `environment`. */
  readonly variable?: string;
  /** Of `environment`: the variable is not set, the default beside its name was taken. */
  readonly isDefault?: true;
  /** Of `flag`. */
  readonly flag?: string;
}
