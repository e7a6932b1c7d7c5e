/** No place of a span in its tree: a root has no parent, a leaf no child. */
export const NONE = -1;
