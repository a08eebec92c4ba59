/** How long passes took, in milliseconds, by the name of the pass. */
export class PassCosts {
  readonly #costs = new Map<string, number[]>();

  /** Time a pass. The name may depend on the result of the pass. */
  async timed<Result>(name: string | ((result: Result) => string), pass: () => Promise<Result>): Promise<Result> {
    const begun = performance.now();
    const result = await pass();
    const took = performance.now() - begun;
    const named = typeof name === 'string' ? name : name(result);
    const costs = this.#costs.get(named);
    if (costs) costs.push(took);
    else this.#costs.set(named, [took]);
    return result;
  }

  of(name: string): readonly number[] {
    return this.#costs.get(name) ?? [];
  }
}
