/** A place in a file. Lines and columns count from 1. */
export interface SourceLocation {
  /** As the user named it, or relative to the application's root. */
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}
