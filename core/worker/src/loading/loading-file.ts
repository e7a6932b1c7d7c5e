import { contextStorage, type StepContext } from 'treadle';

/** Stands in the context's storage while a file is imported, and in everything that the file leaves behind then. */
export class LoadingFile {
  /** An absolute path. `getContext()` knows by this member that it is no context. */
  constructor(readonly loadedFile: string) {}

  /** The file whose import the caller belongs to. */
  static current(): string | undefined {
    const context: unknown = contextStorage().getStore();
    return context instanceof LoadingFile ? context.loadedFile : undefined;
  }

  /** Runs a function in the name of a file. */
  static run<R>(path: string, task: () => R): R {
    return contextStorage().run(new LoadingFile(path) as unknown as StepContext, task);
  }
}
