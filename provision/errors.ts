/** A server could not be provided. The message mostly says what to do about it. */
export class ProvisionError extends Error {
  override readonly name: string = 'ProvisionError';
}

export class DataDirectoryInUseError extends ProvisionError {
  override readonly name = 'DataDirectoryInUseError';
  constructor(
    readonly dataDirectory: string,
    /** The ID of the process that uses the folder: an Escapement process that holds it, or a server. */
    readonly processId: number,
  ) {
    super(
      `${dataDirectory} seems in use by process ${processId}: if that is Escapement or its server, stop it first; else choose another folder.`,
    );
  }
}

/** Each way to get a tool has failed or was not available. */
export class NoWayFoundError extends ProvisionError {
  override readonly name = 'NoWayFoundError';
  constructor(
    what: string,
    /** Each way that was tried, and why it did not work. */
    readonly tried: readonly string[],
    /** What a person can do: any one of these. */
    readonly ways: readonly string[],
  ) {
    super(
      `No way to provide ${what} worked; do one of these: ${ways.map((way, index) => `(${index + 1}) ${way}`).join('; ')}. ` +
        `Tried: ${tried.join('; ')}.`,
    );
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
