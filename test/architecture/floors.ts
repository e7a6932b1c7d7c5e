/** What a package may build on. */
export interface FloorRule {
  readonly folder: RegExp;
  readonly floor: number;
  /** Workspace packages, by name. */
  readonly workspace: RegExp;
  /** Third-party run-time dependencies; undefined: its own choice. */
  readonly thirdParty?: readonly string[];
  readonly node: string;
}

const FLOOR_0 = '@treadle/protocol|treadle|@treadle/worker';
const NODE_USER = '>=18.0.0';
const NODE_ENGINE = '>=20.19';

/**
 * The floors. `@opentelemetry/api` may be an optional peer of what runs in the user's process, and esbuild one of the
 * worker: a Step process that is started by hand needs it for TypeScript only, as it does `get-tsconfig`. jose is an
 * optional peer of those whose Steps check tokens. The kernel's reflect-metadata is what
 * tsyringe needs to load; semver reads the version ranges of plugin manifests.
 */
export const FLOORS: readonly FloorRule[] = [
  { folder: /^core\/protocol$/, floor: 0, workspace: /^$/, thirdParty: [], node: NODE_USER },
  { folder: /^core\/steps$/, floor: 0, workspace: /^$/, thirdParty: ['jose'], node: NODE_USER },
  { folder: /^core\/worker$/, floor: 0, workspace: /^(@treadle\/protocol|treadle)$/, thirdParty: ['ws', 'get-tsconfig', '@opentelemetry/api', 'esbuild'], node: NODE_USER },
  { folder: /^core\/api$/, floor: 1, workspace: new RegExp(`^(${FLOOR_0})$`), thirdParty: ['reflect-metadata'], node: NODE_ENGINE },
  { folder: /^core\/stream-client$/, floor: 0, workspace: /^$/, thirdParty: ['react'], node: NODE_USER },
  { folder: /^core\/json$/, floor: 1, workspace: /^@treadle\/(api|protocol)$/, thirdParty: ['ajv', 'ajv-formats'], node: NODE_ENGINE },
  { folder: /^config$/, floor: 2, workspace: /^@treadle\/api$/, thirdParty: ['js-yaml', 'ajv'], node: NODE_ENGINE },
  { folder: /^core\/dispatch$/, floor: 2, workspace: new RegExp(`^(${FLOOR_0}|@treadle/api)$`), thirdParty: [], node: NODE_ENGINE },
  { folder: /^core\/kernel$/, floor: 3, workspace: /^@treadle\/(api|config|dispatch|protocol)$/, thirdParty: ['tsyringe', 'reflect-metadata', 'semver'], node: NODE_ENGINE },
  { folder: /^plugins\/runtime-[^/]+$/, floor: 4, workspace: new RegExp(`^(${FLOOR_0}|@treadle/(api|json|dispatch))$`), node: NODE_ENGINE },
  { folder: /^(modules|plugins)\/[^/]+$|^console$/, floor: 4, workspace: new RegExp(`^(${FLOOR_0}|@treadle/(api|json))$`), node: NODE_ENGINE },
  { folder: /^core\/testing$/, floor: 4, workspace: new RegExp(`^(${FLOOR_0}|@treadle/(api|json|config|kernel))$`), thirdParty: ['chai', 'mocha', 'fast-check'], node: NODE_ENGINE },
  { folder: /^core\/engine$/, floor: 5, workspace: new RegExp(`^(${FLOOR_0}|@treadle/(?!engine$|cli$|test$).+)$`), thirdParty: [], node: NODE_ENGINE },
  { folder: /^cli$/, floor: 6, workspace: new RegExp(`^(${FLOOR_0}|@treadle/(?!cli$|test$).+)$`), thirdParty: ['@oclif/core', 'diff', 'esbuild', 'typescript'], node: NODE_ENGINE },
];

/** @throws Error when a package lies where no floor is planned. */
export function floorOf(folder: string): FloorRule {
  const rule = FLOORS.find((candidate) => candidate.folder.test(folder));
  if (!rule) throw new Error(`${folder}/package.json: no floor is planned for a package here`);
  return rule;
}
