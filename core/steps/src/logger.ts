/** Writes structured records in the name of the Step and its trace. */
export interface StepLogger {
  debug: LogCall;
  info: LogCall;
  warn: LogCall;
  error: LogCall;
}

/** Writes a record. */
export interface LogCall {
  (message: string, fields?: object): void;
  /** Of an error its message, with its name and stack as fields; of other fields their `message`. Text that follows is the message instead. */
  (errorOrFields: object, messageOrFields?: string | object): void;
}
