/** A store for archives. A file is either complete or absent. */
export interface ArchivePlace {
  /** How the place is recorded and shown. */
  name: string;
  /** Names of its files, sorted. */
  list(): Promise<string[]>;
  write(file: string, content: AsyncIterable<Buffer>): Promise<void>;
  read(file: string): Promise<AsyncIterable<Buffer>>;
}
