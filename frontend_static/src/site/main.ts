import "../theme/tokens.css";
