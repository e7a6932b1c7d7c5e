import type { CredentialScheme, GuardFacts } from '@treadle/api';

/** By name of a scheme; the empty one asks for nothing. */
type Requirement = Readonly<Record<string, readonly []>>;

/** Brings the schemes of guards into one document, each once and under a name that says what it is. */
export class SecurityBook {
  private readonly names = new Map<string, string>();
  private readonly kept = new Map<string, CredentialScheme>();

  /** `components.securitySchemes`, by name. */
  get components(): Readonly<Record<string, CredentialScheme>> {
    return Object.fromEntries(this.kept);
  }

  /**
   * What one operation needs: any one of the list, of each all. Undefined where no guard says how credentials are sent: an empty list would say that
   * anybody may.
   */
  needs(guards: readonly GuardFacts[]): readonly Requirement[] | undefined {
    const telling = guards.filter(({ schemes }) => schemes.length > 0);
    if (telling.length === 0) return undefined;
    const all = telling.reduce<readonly Requirement[]>(
      (before, guard) => distinct(before.flatMap((requirement) => this.ways(guard).map((way) => ({ ...requirement, ...way })))), [{}]);
    return all;
  }

  private ways({ schemes, optional = false }: GuardFacts): readonly Requirement[] {
    return [...schemes.map((scheme) => ({ [this.nameOf(scheme)]: [] as const })), ...(optional ? [{}] : [])];
  }

  private nameOf(scheme: CredentialScheme): string {
    const key = JSON.stringify(Object.entries(scheme).sort());
    const known = this.names.get(key);
    if (known !== undefined) return known;
    const wanted = wantedName(scheme);
    let name = wanted;
    for (let number = 2; this.kept.has(name); number++) name = `${wanted}_${number}`;
    this.names.set(key, name);
    this.kept.set(name, scheme);
    return name;
  }
}

/** e.g. `header.x-api-key`, `cookie.session`, `bearer.JWT`. */
function wantedName(scheme: CredentialScheme): string {
  const parts = scheme.type === 'apiKey' ? [scheme.in, scheme.name] : [scheme.scheme.toLowerCase(), ...(scheme.bearerFormat === undefined ? [] : [scheme.bearerFormat])];
  return parts.join('.').replace(/[^A-Za-z0-9._-]/g, '_');
}

function distinct(list: readonly Requirement[]): readonly Requirement[] {
  return [...new Map(list.map((each) => [Object.keys(each).sort().join('\n'), each])).values()];
}
