import { contextStorage, type StepContext } from 'treadle';

/** Stands in the context's storage while a file is imported, and in everything that the file leaves behind then. */
export class LoadingFile {
  /** `path` is absolute. */
  constructor(readonly path: string) {}

  /** The file whose import the caller belongs to. */
  static current(): string | undefined {
    const context: unknown = contextStorage().getStore();
    return context instanceof LoadingFile ? context.path : undefined;
  }

  /** Runs a function in the name of a file. */
  static run<R>(path: string, task: () => R): R {
    // It has nothing of a context: `getContext()` refuses whatever has no logger.
    return contextStorage().run(new LoadingFile(path) as unknown as StepContext, task);
  }
}
