import { isDeepStrictEqual } from 'node:util';

/** What a library itself says of a value. */
export interface Verdict {
  readonly accepts: boolean;
  /** `path: message` of each issue, sorted; those within unions too where `mayUnfold`. */
  readonly said: readonly string[];
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
  const copy: unknown = value === undefined ? undefined : structuredClone(value);
  const issues = standard ? (await standard.validate(copy)).issues : (await safeParseAsync!.call(schema, copy)).error?.issues;
  const list = issues ? [...issues] : [];
  return { accepts: issues === undefined, mayUnfold: list.some(isUnion), said: list.flatMap((issue) => told(issue, [])).sort() };
}

const isUnion = ({ errors, unionErrors }: Issue): boolean => errors !== undefined || unionErrors !== undefined;

function told(issue: Issue, above: readonly string[]): string[] {
  const path = [...above, ...[...(issue.path ?? [])].map((part) => String(typeof part === 'object' ? part.key : part))];
  const inner = [...(issue.errors ?? []).flatMap((branch) => branch.flatMap((each) => told(each, path))),
    ...(issue.unionErrors ?? []).flatMap((branch) => branch.issues.flatMap((each) => told(each, above)))];
  return [`${path.join('.')}: ${issue.message}`, ...inner];
}

/** True when an answer says what the library says. */
export function agrees({ said, mayUnfold }: Verdict, answered: readonly string[]): boolean {
  const sorted = [...answered].sort();
  return mayUnfold ? sorted.length > 0 && sorted.every((text) => said.includes(text)) : isDeepStrictEqual(sorted, said);
}
