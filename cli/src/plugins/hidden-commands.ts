/** The part of an oclif plugin that is looked at. */
export interface CommandOwner {
  readonly name: string;
  readonly commands: readonly { readonly id: string; readonly aliases?: readonly string[] | undefined }[];
}

/** A command that another one with the same name hides. */
export interface HiddenCommand {
  /** As typed, e.g. `modules list`. */
  readonly command: string;
  /** Package that brings it. */
  readonly plugin: string;
  /** `treadle`, or the package that came first. */
  readonly hiddenBy: string;
}

/** Finds commands whose name an earlier plugin has taken. @param own package name of this tool */
export function hiddenCommands(owners: readonly CommandOwner[], own: string): readonly HiddenCommand[] {
  const taken = new Map<string, string>();
  const hidden: HiddenCommand[] = [];
  for (const owner of owners) {
    for (const id of owner.commands.flatMap((command) => [command.id, ...(command.aliases ?? [])])) {
      const first = taken.get(id);
      if (first === undefined) taken.set(id, owner.name);
      else if (first !== owner.name) {
        hidden.push({ command: id.replaceAll(':', ' '), plugin: owner.name, hiddenBy: first === own ? 'treadle' : first });
      }
    }
  }
  return hidden;
}
