/** Where archives lie. A file is there whole or not at all. */
export interface ArchivePlace {
  /** How it is recorded and shown. */
  name: string;
  /** Names of its files, in order. */
  list(): Promise<string[]>;
  write(file: string, content: AsyncIterable<Buffer>): Promise<void>;
  read(file: string): Promise<AsyncIterable<Buffer>>;
}
