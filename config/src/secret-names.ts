export { looksSecret, REDACTED, redactText } from '@treadle/api';
