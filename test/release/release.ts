import { run } from './commands.js';
import type { ReleaseOptions } from './options.js';
import { isPublished, makeLatest, publicPackages, publishNext, registry, unpublish, type ReleasePackage } from './packages.js';
import { writeBill } from './sbom/write-bill.js';
import { assertTagged, removeTag } from './tags.js';

/** How a release ended: `refused` changed nothing, `rolled-back` took back what it had done, `stuck` could not. */
export type ReleaseEnd = 'released' | 'refused' | 'rolled-back' | 'stuck';

/**
 * Builds, publishes under `next`, tries it, and makes it `latest`; whatever fails after the checks takes the published
 * packages and the tag away again.
 */
export async function release(options: ReleaseOptions, say: (line: string) => void): Promise<ReleaseEnd> {
  let packages: readonly ReleasePackage[];
  try {
    packages = await checked(options);
  } catch (error) {
    say(`refused: ${(error as Error).message}`);
    return 'refused';
  }
  const version = options.tag.slice(1);
  try {
    say(`building ${options.tag}`);
    await run(options.build);
    say(`the list of all parts is ${writeBill()}`);
    say(`publishing ${packages.length} packages as "next"`);
    await publishNext();
    await assertAllPublished(packages);
    say('trying what was published');
    await run(options.e2e, { RELEASE_VERSION: version, RELEASE_REGISTRY: registry() });
    for (const one of packages) makeLatest(one);
  } catch (error) {
    say(`failed: ${(error as Error).message}`);
    return rollBack(options, packages, say);
  }
  say(`released ${version}: ${packages.length} packages are "latest"`);
  return 'released';
}

/** @throws Error when this release cannot be made as things are. */
async function checked({ tag }: ReleaseOptions): Promise<readonly ReleasePackage[]> {
  assertTagged(tag);
  const packages = publicPackages();
  const others = packages.filter(({ version }) => `v${version}` !== tag);
  if (others.length > 0) throw new Error(`${tag} is not the version of ${listed(others)}; set it with: npx lerna version ${tag.slice(1)} --exact --no-git-tag-version`);
  const present = await published(packages);
  if (present.length > 0) throw new Error(`already published: ${listed(present)}; a version is published once`);
  return packages;
}

async function assertAllPublished(packages: readonly ReleasePackage[]): Promise<void> {
  const present = new Set(await published(packages));
  const absent = packages.filter((one) => !present.has(one));
  if (absent.length > 0) throw new Error(`the registry has no ${listed(absent)}`);
}

/** Goes through to the end, whatever fails, and says what is left to be done by hand. */
async function rollBack({ tag, remote }: ReleaseOptions, packages: readonly ReleasePackage[], say: (line: string) => void): Promise<ReleaseEnd> {
  say(`rolling ${tag} back`);
  const left: string[] = [];
  const attempt = async (what: string, act: () => void | Promise<void>): Promise<void> => {
    try {
      await act();
    } catch (error) {
      left.push(`${what}: ${(error as Error).message}`);
    }
  };
  // Dependents first: a registry may refuse to take away what others of it need.
  for (const one of [...packages].reverse()) {
    await attempt(`npm unpublish ${one.name}@${one.version}`, async () => {
      if (await isPublished(one)) unpublish(one);
    });
  }
  await attempt(`git push ${remote} :refs/tags/${tag} && git tag --delete ${tag}`, () => removeTag(tag, remote));
  for (const line of left) say(`left to be done by hand: ${line}`);
  say(left.length === 0 ? `rolled back: neither the packages nor ${tag} are there any more` : `could not be rolled back in whole (${left.length} left)`);
  return left.length === 0 ? 'rolled-back' : 'stuck';
}

async function published(packages: readonly ReleasePackage[]): Promise<readonly ReleasePackage[]> {
  const answers = await Promise.all(packages.map(isPublished));
  return packages.filter((_, index) => answers[index]);
}

function listed(packages: readonly ReleasePackage[]): string {
  const names = packages.map(({ name, version }) => `${name}@${version}`);
  return names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ');
}
