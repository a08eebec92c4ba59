/** How a source's revision is set. */
export interface ResetSourceOptions {
  /** The lowest revision that may be applied from now on. */
  revision: number;
}
