import type { SchemaError } from './schema-compiler.js';

/**
 * One finding for each fault, of all that a compiled schema found in order: of a union what its branch says that the value was meant for,
 * or the union itself; of a format and its pattern the format.
 */
export function singleFaults(errors: readonly SchemaError[]): readonly SchemaError[] {
  const kept: SchemaError[] = [];
  for (const error of errors) add(error, kept);
  return kept;
}

function add(error: SchemaError, kept: SchemaError[]): void {
  switch (error.keyword) {
    // Says that "then" or "else" found something, which is there already.
    case 'if': return;
    case 'anyOf':
    case 'oneOf': kept.push(...ofUnion(error, takeBack(kept, (inner) => isWithin(inner, error)))); return;
    case 'contains': takeBack(kept, ({ schemaPath }) => schemaPath.startsWith(`${error.schemaPath}/`)); break;
    case 'propertyNames': takeBack(kept, ({ propertyName, instancePath }) => propertyName !== undefined && instancePath === error.instancePath); break;
    case 'format':
    case 'pattern': if (replacesPair(error, kept)) return;
    // no default
  }
  kept.push(error);
}

/** Removes the last findings as far as they fit, and returns them in order. */
function takeBack(kept: SchemaError[], fits: (error: SchemaError) => boolean): readonly SchemaError[] {
  let first = kept.length;
  while (first > 0 && fits(kept[first - 1] as SchemaError)) first--;
  return kept.splice(first);
}

/** Found by a branch of the union, not by what stands beside it. A branch that is a reference has the path of what it refers to. */
function isWithin(inner: SchemaError, union: SchemaError): boolean {
  if (!isBelow(inner.instancePath, union.instancePath)) return false;
  if (inner.schemaPath.startsWith(`${union.schemaPath}/`)) return true;
  const beside = schemaOf(union);
  // Of members and items the union itself looks first, and a schema that refers to itself has the same paths on every level.
  if (inner.instancePath !== union.instancePath) return !inner.schemaPath.startsWith(`${beside}/allOf/`);
  return !inner.schemaPath.startsWith(`${beside}/`) || (beside === '#' && /^#\/(?:\$defs|definitions)\//.test(inner.schemaPath));
}

const isBelow = (path: string, above: string): boolean => path === above || path.startsWith(`${above}/`);

/** Keywords that say that a value is altogether another one than a branch wants. */
const OTHER_VALUE: ReadonlySet<string> = new Set(['type', 'const', 'enum']);

function ofUnion(union: SchemaError, inner: readonly SchemaError[]): readonly SchemaError[] {
  // Several branches fit where only one may.
  if (Array.isArray(union.params['passingSchemas'])) return [union];
  const isOther = ({ keyword, instancePath }: SchemaError): boolean => OTHER_VALUE.has(keyword) && instancePath === union.instancePath;
  const others = inner.filter(isOther);
  const meant = inner.filter((error) => !isOther(error));
  if (meant.length === 0 && others.length > 0 && others.every(({ keyword }) => keyword === 'type')) {
    const types = new Set(others.flatMap(({ params }) => params['type']));
    return [{ ...union, keyword: 'type', message: `must be ${[...types].join(' or ')}` }];
  }
  return others.length > 0 && new Set(meant.map((error) => branchOf(error, union))).size === 1 ? meant : [union];
}

function branchOf({ schemaPath }: SchemaError, union: SchemaError): string {
  const start = `${union.schemaPath}/`;
  return (schemaPath.startsWith(start) ? schemaPath.slice(start.length).split('/', 1)[0] : schemaPath.split('/', 3).join('/')) ?? '';
}

/** A format and the pattern that a generator wrote beside it are one demand. True when the new finding is not to be kept. */
function replacesPair(error: SchemaError, kept: SchemaError[]): boolean {
  const place = schemaOf(error);
  // What is found of one text stands together, and there may be thousands of other findings.
  for (let at = kept.length - 1; kept[at]?.instancePath === error.instancePath; at--) {
    const other = kept[at] as SchemaError;
    if (other.keyword === error.keyword || (other.keyword !== 'format' && other.keyword !== 'pattern') || schemaOf(other) !== place) continue;
    if (error.keyword === 'format') kept[at] = error;
    return true;
  }
  return false;
}

const schemaOf = ({ schemaPath }: SchemaError): string => schemaPath.slice(0, schemaPath.lastIndexOf('/'));
