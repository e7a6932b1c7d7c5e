import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ROOT } from '../architecture/workspace.js';

interface AjvError { readonly instancePath: string; readonly params: Readonly<Record<string, string | undefined>> }
interface Ajv { readonly validate: (schema: object, value: unknown) => boolean; readonly errors?: readonly AjvError[] | null }

/** What a library itself says of a value. */
export interface Verdict {
  readonly accepts: boolean;
  /** `path: message` of each issue, sorted; those within unions too where `mayUnfold`. */
  readonly said: readonly string[];
  /** Plain JSON Schema has no texts of its own: only the places are compared. */
  readonly placesOnly?: true;
  /** A union lists what its branches found: one of them may be told in its place. */
  readonly mayUnfold: boolean;
}

interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[];
  readonly errors?: readonly (readonly Issue[])[];
  readonly unionErrors?: readonly { readonly issues: readonly Issue[] }[];
}
type Result = { readonly issues?: readonly Issue[] };
interface Judging {
  readonly '~standard'?: { readonly validate: (value: unknown) => Result | Promise<Result> };
  readonly safeParseAsync?: (value: unknown) => Promise<{ readonly error?: { readonly issues: readonly Issue[] } }>;
}

/** Asks the library directly, past everything of ours. */
export async function libraryVerdict(schema: object, value: unknown): Promise<Verdict> {
  const { '~standard': standard, safeParseAsync } = schema as Judging;
  if (!standard && !safeParseAsync) return ajvVerdict(schema, value);
  const copy: unknown = value === undefined ? undefined : structuredClone(value);
  const issues = standard ? (await standard.validate(copy)).issues : (await safeParseAsync!.call(schema, copy)).error?.issues;
  const list = issues ? [...issues] : [];
  return { accepts: issues === undefined, mayUnfold: list.some(isUnion), said: list.flatMap((issue) => told(issue, [])).sort() };
}

/** Said are the places alone. Keywords of several branches name more of them than there are faults. */
function ajvVerdict(schema: object, value: unknown): Verdict {
  // The copy that the engine has; another package of the repository brings an old one.
  const load = createRequire(join(ROOT, 'core/json/package.json'));
  const { Ajv2020 } = load('ajv/dist/2020') as { Ajv2020: new (options: object) => Ajv };
  const { default: addFormats } = load('ajv-formats') as { default: (to: Ajv) => void };
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  addFormats(ajv);
  const accepts = ajv.validate(schema, value);
  return { accepts, placesOnly: true, mayUnfold: true, said: (ajv.errors ?? []).map(placeOf) };
}

function placeOf({ instancePath, params: { missingProperty, additionalProperty, unevaluatedProperty, propertyName } }: AjvError): string {
  return [...instancePath.split('/').slice(1), missingProperty ?? additionalProperty ?? unevaluatedProperty ?? propertyName].filter((part) => part !== undefined).join('.');
}

const isUnion = ({ errors, unionErrors }: Issue): boolean => errors !== undefined || unionErrors !== undefined;

function told(issue: Issue, above: readonly string[]): string[] {
  const path = [...above, ...[...(issue.path ?? [])].map((part) => String(typeof part === 'object' ? part.key : part))];
  const inner = [...(issue.errors ?? []).flatMap((branch) => branch.flatMap((each) => told(each, path))),
    ...(issue.unionErrors ?? []).flatMap((branch) => branch.issues.flatMap((each) => told(each, above)))];
  return [`${path.join('.')}: ${issue.message}`, ...inner];
}

/** True when an answer says what the library says. */
export function agrees({ said, mayUnfold, placesOnly }: Verdict, answered: readonly string[]): boolean {
  const sorted = answered.map((text) => (placesOnly ? text.slice(0, text.indexOf(': ')) : text)).sort();
  return mayUnfold ? sorted.length > 0 && sorted.every((text) => said.includes(text)) : isDeepStrictEqual(sorted, said);
}
