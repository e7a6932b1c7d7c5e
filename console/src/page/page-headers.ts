import { SAFE_HEADERS } from '../server/refusal.js';

/** What a page of ours may load: nothing that is not ours, and no code that stands in a text. */
const CSP = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; frame-src 'self'; "
  + "frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** Of every file of the page, and of plugins' views. */
export const PAGE_HEADERS = { ...SAFE_HEADERS, 'content-security-policy': CSP };
