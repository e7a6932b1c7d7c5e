export const STREAM_TABLES = '';
