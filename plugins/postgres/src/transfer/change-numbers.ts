/**
 * Where changes are numbered from after a copy. The queue knows the ids of changes that it had for a day, also those that another database gave: none of
 * them may be given again. By the time, so that it lies behind those of all former databases; 15 digits.
 */
export const FRESH_CHANGES = 'store_time() * 100';

/** What a copy does to a change whose id was another store's. */
export const SAME_CHANGE = 'a change that waits gets another id: where its engine ended right after it had handed it to the queue, its trigger may run twice';
