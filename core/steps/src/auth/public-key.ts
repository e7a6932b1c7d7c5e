import { createPublicKey, type KeyObject } from 'node:crypto';

const RSA_PSS = ['PS256', 'PS384', 'PS512'];
const RSA = ['RS256', 'RS384', 'RS512', ...RSA_PSS];
const BY_CURVE: Readonly<Record<string, readonly string[]>> = { prime256v1: ['ES256'], secp384r1: ['ES384'], secp521r1: ['ES512'] };

/**
 * The key of a PEM and those of the algorithms that fit it: `jose` fails on a token whose algorithm is of another kind than the key.
 * @throws Error when it is no public key, or no algorithm fits it
 */
export function readPublicKey(pem: string, algorithms: readonly string[]): { readonly key: KeyObject; readonly fitting: readonly string[] } {
  const key = keyOf(pem.trim());
  const usable = usableWith(key);
  const fitting = algorithms.filter((algorithm) => usable.includes(algorithm));
  if (fitting.length > 0) return { key, fitting };
  const [first] = usable;
  const remedy = first === undefined ? 'use a key of RSA, of a NIST curve or Ed25519' : `write algorithms: ['${first}'], or give the key that the tokens are signed for`;
  throw new Error(`bearer(): "publicKey" is a key of ${named(key)}, which fits none of the algorithms ${algorithms.join(', ')}; ${remedy}`);
}

function keyOf(pem: string): KeyObject {
  let cause: unknown;
  // Node.js would take the public part of a private key, and of a certificate that is long out of date.
  if (pem.startsWith('-----BEGIN PUBLIC KEY-----')) {
    try {
      return createPublicKey(pem);
    } catch (error) {
      cause = error;
    }
  }
  const advice = pem.includes('PRIVATE KEY-----')
    ? 'it is a private key; give the public one, for example of: openssl pkey -in private.pem -pubout'
    : 'give a PEM with its line breaks, as -----BEGIN PUBLIC KEY----- and what follows';
  throw new Error(`bearer(): "publicKey" cannot be read: ${advice}`, { cause });
}

function usableWith({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): readonly string[] {
  switch (asymmetricKeyType) {
    case 'rsa': return RSA;
    case 'rsa-pss': return RSA_PSS;
    case 'ec': return BY_CURVE[asymmetricKeyDetails?.namedCurve ?? ''] ?? [];
    case 'ed25519': return ['EdDSA', 'Ed25519'];
    default: return [];
  }
}

function named({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string {
  const curve = asymmetricKeyDetails?.namedCurve;
  return curve === undefined ? String(asymmetricKeyType) : `the curve ${curve}`;
}
