/** Splits an amount into equal shares of whole cents; the first ones carry what is left over. */
export function splitBill(totalCents: number, people: number): number[] {
  const share = Math.floor(totalCents / people);
  const leftOver = totalCents - share * people;
  return Array.from({ length: people }, (_, index) => share + (index < leftOver ? 1 : 0));
}
