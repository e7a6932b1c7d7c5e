import type { Activity } from '../contract/index.js';

export const NO_ACTIVITY: Activity = { items: [], spans: 0 };
