import { output } from './commands.js';

/** @throws Error when the tag is not on the checked-out commit or the checkout has changes. */
export function assertTagged(tag: string): void {
  const changes = output('git', 'status', '--porcelain', '--untracked-files=no');
  if (changes !== '') throw new Error(`the checkout has changes that are not committed:\n${changes}`);
  const tagged = output('git', 'tag', '--list', tag) === tag ? output('git', 'rev-parse', `${tag}^{commit}`) : undefined;
  if (tagged === undefined) throw new Error(`there is no tag ${tag}; make it with: git tag ${tag} && git push origin ${tag}`);
  const head = output('git', 'rev-parse', 'HEAD');
  if (tagged !== head) throw new Error(`${tag} is on ${tagged}, the checkout on ${head}; check out the tag`);
}

/** Here and at the remote; one that is gone already is fine. */
export function removeTag(tag: string, remote: string): void {
  if (output('git', 'ls-remote', '--tags', remote, `refs/tags/${tag}`) !== '') output('git', 'push', '--quiet', remote, `:refs/tags/${tag}`);
  if (output('git', 'tag', '--list', tag) !== '') output('git', 'tag', '--delete', tag);
}
