import { itemPath, keyPath, type Located } from './located.js';

/** The values of a tree without their places. */
export function plainOf(node: Located): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(plainOf);
  // Own property `__proto__`, as JSON.parse makes it.
  return Object.fromEntries([...node.entries].map(([key, { value }]) => [key, plainOf(value)]));
}

/** Path of each node below the top to `line:column`. */
export function placesOf(node: Located, path = ''): Record<string, string> {
  const here = path === '' ? {} : { [path]: `${node.at.line}:${node.at.column}` };
  if (node.kind === 'scalar') return here;
  const below = node.kind === 'list'
    ? node.items.map((item, index) => placesOf(item, itemPath(path, index)))
    : [...node.entries].map(([key, { value }]) => placesOf(value, keyPath(path, key)));
  return Object.assign(here, ...below) as Record<string, string>;
}
