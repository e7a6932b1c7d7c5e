/** A path prefix that is matched by whole segments, after decoding them: `/%61dmin` lies below `/admin`. */
export class PathPrefix {
  private readonly segments: readonly string[];

  constructor(prefix: string) {
    this.segments = prefix.split('/').filter((segment) => segment !== '');
  }

  /** True when the path is the prefix or lies below it. */
  covers(path: string): boolean {
    return this.below(path) !== undefined;
  }

  /** The decoded segments below the prefix, `''` for each empty one; undefined when the path is not below it. */
  below(path: string): string[] | undefined {
    const { segments } = this;
    const parts = path.split('/');
    parts.shift();
    if (parts.length < segments.length) return undefined;
    try {
      const decoded = path.includes('%') ? parts.map((part) => decodeURIComponent(part)) : parts;
      return segments.every((segment, index) => decoded[index] === segment) ? decoded.slice(segments.length) : undefined;
    } catch {
      // Not an encoding: refused elsewhere with 400, and below nothing.
      return undefined;
    }
  }
}
