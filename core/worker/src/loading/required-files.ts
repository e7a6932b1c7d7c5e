import nodeModule from 'node:module';

type Extension = (module: NodeJS.Module, file: string) => void;

let onRequire: ((file: string) => void) | undefined;

/**
 * Tells, from now on, of each file that `require` is about to load, for it passes by the module hooks. One listener per
 * process.
 */
export function listenToRequire(listener: (file: string) => void): void {
  const isFirst = onRequire === undefined;
  onRequire = listener;
  if (!isFirst) return;
  const { _extensions: extensions } = nodeModule as unknown as { readonly _extensions: Record<string, Extension | undefined> };
  for (const extension of ['.js', '.json']) {
    const original = extensions[extension];
    if (!original) continue;
    extensions[extension] = (module, file) => {
      onRequire?.(file);
      original(module, file);
    };
  }
}
