export * from './api-key.js';
export * from './basic.js';
export * from './bearer.js';
export type { CredentialScheme } from './credential-scheme.js';
export { guard, type Credentials, type Found, type Guard } from './guard.js';
export * from './session-cookie.js';
