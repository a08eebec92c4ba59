/** How a source's revision is set. */
export interface ResetSourceOptions {
  /** The lowest revision that counts from now on. */
  revision: number;
}
