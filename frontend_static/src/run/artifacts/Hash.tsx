import { Check, Copy } from "lucide-react";
import { useState } from "react";

/** The start of a hash after the name of its content. A click copies the whole hash. */
export function Hash({ hash, of, label = "" }: { hash: string; of: string; label?: string }) {
  const [copied, setCopied] = useState(false);
  const copy = () =>
    void navigator.clipboard?.writeText(hash).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), 1500);
    });
  const Icon = copied ? Check : Copy;
  return (
    <button
      type="button"
      className="hash mono"
      translate="no"
      title={`SHA-256 of ${of}: ${hash}`}
      onClick={copy}
    >
      <span className="visually-hidden">Copy the hash of {of}: </span>
      {label && <span className="hash-of">{label}</span>}
      {hash.slice(0, 12)} <Icon className="icon" aria-hidden />
    </button>
  );
}
