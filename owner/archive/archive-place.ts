/** A place that stores the files of an archive. A file in the place is either complete or absent. */
export interface ArchivePlace {
  /** The name under which the place is recorded and shown. */
  name: string;
  /** The names of the files in the place, sorted. */
  list(): Promise<string[]>;
  write(file: string, content: AsyncIterable<Buffer>): Promise<void>;
  read(file: string): Promise<AsyncIterable<Buffer>>;
}
