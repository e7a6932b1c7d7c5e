/** Ends what it was given for; a second call does nothing. */
export type Unsubscribe = () => void;
