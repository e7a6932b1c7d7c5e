// Puts the pages of docs/ into this package, for `treadle docs`, which reads them offline.
import { cp, rm } from 'node:fs/promises';

const target = new URL('../dist/docs-pages/', import.meta.url);
await rm(target, { recursive: true, force: true });
await cp(new URL('../../docs/', import.meta.url), target, { recursive: true, filter: (source) => !source.endsWith('.png') });
