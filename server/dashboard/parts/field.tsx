import type { ComponentChildren, JSX } from 'preact';

export function Field({
  label,
  children,
  class: name,
}: {
  label: string;
  children: ComponentChildren;
  class?: string;
}) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is the child
    <label class={`field ${name ?? ''}`}>
      <span>{label}</span>
      {children}
    </label>
  );
}

/** The longest note that the ledger accepts. */
const CHARACTERS_AT_MOST = 4000;

export function TextField({
  label,
  class: name,
  onChange,
  ...input
}: {
  label: string;
  class?: string;
  value: string;
  type?: 'search' | 'datetime-local';
  step?: string;
  required?: boolean;
  onChange: (value: string) => void;
}) {
  const changed = (event: JSX.TargetedInputEvent<HTMLInputElement>) => onChange(event.currentTarget.value);
  return (
    <Field label={label} class={name}>
      <input class="input" maxLength={CHARACTERS_AT_MOST} onInput={changed} {...input} />
    </Field>
  );
}

export function Choice<Value extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: Value;
  options: [Value, string][];
  onChange: (value: Value) => void;
}) {
  const changed = (event: JSX.TargetedEvent<HTMLSelectElement>) => onChange(event.currentTarget.value as Value);
  return (
    <Field label={label}>
      <select class="input" value={value} onChange={changed}>
        {options.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </Field>
  );
}
