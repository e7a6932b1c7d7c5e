/** What the process gives to the engine; tests give their own. */
export interface EngineSurroundings {
  /** Absolute; relative paths of the command line start here. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
}

/** The part of `process.stdout` that is used. */
export interface OutputStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  /** Bytes that it has not taken yet. */
  readonly writableLength?: number;
  once?(event: 'drain', listener: () => void): unknown;
  on?(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown;
  off?(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown;
}
