import { Search as Glass } from "lucide-react";
import { keyOf } from "./keys";

export function SearchField(props: {
  label: string;
  value: string;
  onChange: (text: string) => void;
}) {
  return (
    <label className="search">
      <Glass className="icon" aria-hidden />
      <input
        className="input"
        type="search"
        aria-label={props.label}
        placeholder={props.label}
        value={props.value}
        onChange={(event) => props.onChange(event.target.value)}
        onKeyDown={(event) => {
          if (keyOf(event) === "Escape" && props.value !== "") {
            event.preventDefault();
            props.onChange("");
          }
        }}
      />
    </label>
  );
}
